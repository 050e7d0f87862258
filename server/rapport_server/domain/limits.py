"""Every bound of a request, with its reason."""

ID_BYTES_MAX = 256  # a uuid, an e-mail address or a URL fits; keys of every index stay small
MESSAGE_BYTES_MAX = 32 * 1024  # a long letter; more is a document and belongs to AddMemory
QUERY_BYTES_MAX = 8 * 1024  # about 2,000 tokens, eight windows of the encoder
HINT_BYTES_MAX = 2 * 1024
TEXT_BYTES_MAX = 1024 * 1024  # a book chapter; about a thousand windows
METADATA_BYTES_MAX = 16 * 1024
NAME_BYTES_MAX = 256  # names, speakers, channels, sessions: what stands in one line of a prompt
TITLE_BYTES_MAX = 512
NOTE_BYTES_MAX = 2 * 1024  # a paragraph about an event
INSTRUCTIONS_BYTES_MAX = 4 * 1024
CRISIS_PHRASE_BYTES_MAX = 1024
EMOTION_LABEL_BYTES_MAX = 64
TICKET_CHARS_MAX = 64
JSON_DEPTH_MAX = 16  # nobody nests metadata deeper, and recursion stays shallow
ITEMS_MAX = 1_000  # memories of one AddMemory, ids of one VerifyProcessing
PAIRS_MAX = 1_000
HISTORY_MAX = 20  # conversation_history: prompt only
ASSIGNMENTS_MAX = 100  # staff and agents of one person
PERSON_RELATIONS_MAX = 1_000  # of one person; nobody speaks of more people
TRIGGERS_MAX = 1_000  # of one person, done ones included: three years of one a day
DUE_TRIGGERS_MAX = 50  # answered by one Process; who can bring up more at a time?
KIND_BYTES_MAX = 64  # a word or two
HISTORY_BYTES_MAX = 128 * 1024  # of all its turns: about 32,000 tokens
EVENTS_MAX = 32  # between two messages of one person
EMOTIONS_MAX = 32  # all labels that the analyser knows
RESULTS_MAX = 1_000
TOP_K_MAX = 50
NEIGHBORS_MAX = 5
WAIT_S_MAX = 60.0
PAGE_SIZE_DEFAULT = 50
PAGE_SIZE_MAX = 1_000
REPLY_BYTES_MAX = 3 * 1024 * 1024  # grpcurl refuses above 4 MiB
REQUEST_BYTES_MAX = 8 * 1024 * 1024
CLOCK_SKEW_S_MAX = 300.0  # occurred_at may be this far in the future
METADATA_FIELDS_MAX = 64
REQUEST_RECORD_HOURS = 24
EXPIRY_S_MAX = (
    100 * 366 * 86_400
)  # a century; beyond it Postgres' timestamps are not the problem, a typing error is
ATTEMPTS_MAX = (
    3  # a worker may die twice by accident; a text that has failed three times is the cause itself
)
RETRY_WAIT_S = (
    1.0  # times the attempts so far: a failed item does not burn its attempts within one hiccup
)
CLAIM_ITEMS_MAX = (
    256  # enough to fill forward passes, few enough to commit within some tens of milliseconds
)
CLAIM_BYTES_MAX = (
    64 * 1024
)  # of text in one claim, about a second of embedding: what came later waits no longer
LONG_TEXT_BYTES = 32 * 1024  # texts above it are claimed one at a time, beside the short ones
LEASE_S = 20.0  # how long a dead worker's items wait; renewed several times within it
READ_ITEMS_MAX = 32  # memories read in one go; what was said last waits no longer
READ_BYTES_MAX = (
    64 * 1024
)  # of text in one go, at most about a second of CPU: well within READ_LEASE_S
READ_CHARS_MAX = (
    32 * 1024
)  # of one memory; what is longer than a long letter tells of others' lives
READ_LEASE_S = 5.0  # how long a tenant waits for another reader when one dies
CHANGES_KEPT = (
    4_096  # change rows per shard; a reader farther behind rebuilds, which costs it under a second
)
SWEEP_ROWS_MAX = (
    1_000  # rows of each sort in one step of the sweep, so that its transactions stay short
)
WATCHERS_MAX = 512  # WatchEndUser streams of a process: half of the calls that it admits
SWEEP_PEOPLE_MAX = 256  # whose numbers of memories one step compares with their plans
