"""The id of a shard directory: kept while it can be read, else files of unknown erasures go with it."""

import uuid

import pytest

from rapport_server.privacy.process_id import NAME, process_id


def test_the_id_is_made_once_and_kept(tmp_path):
    shards = tmp_path / "shards"
    made = process_id(shards)
    (shards / "file").write_text("cache")
    assert process_id(shards) == made == str(uuid.UUID(made))
    assert (shards / "file").exists()
    assert shards.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"not an id"])
def test_without_a_readable_id_the_files_go(tmp_path, content):
    shards = tmp_path / "shards"
    before = process_id(shards)
    (shards / "tenant").mkdir()
    (shards / NAME).unlink()
    if content is not None:
        (shards / NAME).write_bytes(content)
    after = process_id(shards)
    assert after != before
    assert [path.name for path in shards.iterdir()] == [NAME]


def test_a_file_in_the_place_of_the_directory_gives_way(tmp_path):
    (tmp_path / "shards").write_text("?")
    assert process_id(tmp_path / "shards")


def test_a_link_to_a_directory_elsewhere_stays_a_link_and_what_is_in_it_goes(tmp_path):
    disk = tmp_path / "disk"
    (disk / "tenant").mkdir(parents=True)
    (disk / "tenant" / "0").write_text("cache")
    (disk / "loop").symlink_to(disk)
    shards = tmp_path / "shards"
    shards.symlink_to(disk)
    process_id(shards)
    assert shards.is_symlink()
    assert [path.name for path in disk.iterdir()] == [NAME]
