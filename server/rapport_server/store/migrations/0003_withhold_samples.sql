-- Postgres keeps samples of a column's values among its statistics, where no erasure reaches them. Columns that hold anything of
-- a person are never sampled: a target of 0 leaves the distributions that were described before as they are.

ALTER TABLE end_user
    ALTER end_user_id SET STATISTICS 0, ALTER user_name SET STATISTICS 0, ALTER time_zone SET STATISTICS 0,
    ALTER trust SET STATISTICS 0, ALTER sentiment SET STATISTICS 0, ALTER grudge SET STATISTICS 0,
    ALTER familiarity SET STATISTICS 0, ALTER assignments SET STATISTICS 0;
ALTER TABLE message
    ALTER end_user_id SET STATISTICS 0, ALTER text SET STATISTICS 0, ALTER channel SET STATISTICS 0,
    ALTER session_id SET STATISTICS 0, ALTER analysis SET STATISTICS 0;
ALTER TABLE relation_point
    ALTER end_user_id SET STATISTICS 0, ALTER note SET STATISTICS 0, ALTER mood_delta SET STATISTICS 0,
    ALTER trust SET STATISTICS 0, ALTER sentiment SET STATISTICS 0, ALTER grudge SET STATISTICS 0,
    ALTER familiarity SET STATISTICS 0;
ALTER TABLE memory
    ALTER end_user_id SET STATISTICS 0, ALTER source_id SET STATISTICS 0, ALTER text SET STATISTICS 0,
    ALTER pairs SET STATISTICS 0, ALTER title SET STATISTICS 0, ALTER user_name SET STATISTICS 0,
    ALTER speaker SET STATISTICS 0, ALTER channel SET STATISTICS 0, ALTER session_id SET STATISTICS 0,
    ALTER time_zone SET STATISTICS 0, ALTER metadata SET STATISTICS 0, ALTER additional_metadata SET STATISTICS 0,
    ALTER intent SET STATISTICS 0, ALTER detected_emotions SET STATISTICS 0, ALTER error_message SET STATISTICS 0;
ALTER TABLE chunk
    ALTER end_user_id SET STATISTICS 0, ALTER source_id SET STATISTICS 0, ALTER text SET STATISTICS 0,
    ALTER vector SET STATISTICS 0;
ALTER TABLE request_record ALTER result SET STATISTICS 0;
