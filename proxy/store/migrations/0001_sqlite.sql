CREATE TABLE audit_labels (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    sample TEXT NOT NULL,
    product_label TEXT NOT NULL,
    hand_label TEXT NOT NULL,
    imported_us INTEGER NOT NULL,
    CONSTRAINT pk_audit_labels PRIMARY KEY (session, thread, turn, "index")
)
 STRICT;

CREATE TABLE contents (
    sha256 TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    redacted INTEGER NOT NULL,
    packed BLOB NOT NULL,
    CONSTRAINT pk_contents PRIMARY KEY (sha256)
)
 STRICT;

CREATE TABLE forgotten (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    part INTEGER NOT NULL,
    opened_us INTEGER NOT NULL,
    CONSTRAINT pk_forgotten PRIMARY KEY (writer, number, part)
)
 STRICT;

CREATE TABLE marks (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    segment INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    CONSTRAINT pk_marks PRIMARY KEY (writer)
)
 STRICT;

CREATE TABLE meta (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_meta PRIMARY KEY (name)
)
 STRICT;

CREATE TABLE session_state (
    session TEXT NOT NULL,
    version INTEGER NOT NULL,
    CONSTRAINT pk_session_state PRIMARY KEY (session)
)
 STRICT;

CREATE TABLE sessions (
    session TEXT NOT NULL,
    key_kind TEXT NOT NULL,
    client TEXT NOT NULL,
    client_version TEXT NOT NULL,
    door TEXT NOT NULL,
    source TEXT NOT NULL,
    first_us INTEGER NOT NULL,
    last_us INTEGER NOT NULL,
    door_effects TEXT NOT NULL,
    labels TEXT NOT NULL,
    run TEXT,
    pair TEXT,
    arm_order INTEGER,
    checkpoint_sha256 TEXT,
    condition TEXT,
    seed INTEGER,
    repeat INTEGER,
    CONSTRAINT pk_sessions PRIMARY KEY (session)
)
 STRICT;

CREATE TABLE content_uses (
    session TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    used_us INTEGER NOT NULL,
    CONSTRAINT pk_content_uses PRIMARY KEY (session, sha256),
    CONSTRAINT fk_content_uses_contents FOREIGN KEY(sha256) REFERENCES contents (sha256) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE exchanges (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    part INTEGER NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    outcome TEXT NOT NULL,
    upstream TEXT NOT NULL,
    door TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    status INTEGER,
    opened_us INTEGER NOT NULL,
    first_byte_us INTEGER,
    duration_us INTEGER,
    request_bytes INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL,
    session TEXT,
    thread TEXT,
    turn INTEGER,
    attempt INTEGER,
    faults TEXT NOT NULL,
    CONSTRAINT pk_exchanges PRIMARY KEY (writer, number, part),
    CONSTRAINT fk_exchanges_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE session_keys (
    sign TEXT NOT NULL,
    session TEXT NOT NULL,
    noted_us INTEGER NOT NULL,
    CONSTRAINT pk_session_keys PRIMARY KEY (sign),
    CONSTRAINT fk_session_keys_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE state_parts (
    session TEXT NOT NULL,
    part TEXT NOT NULL,
    packed BLOB NOT NULL,
    CONSTRAINT pk_state_parts PRIMARY KEY (session, part),
    CONSTRAINT fk_state_parts_session_state FOREIGN KEY(session) REFERENCES session_state (session) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE threads (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent TEXT,
    agent_type TEXT NOT NULL,
    first_us INTEGER NOT NULL,
    why TEXT NOT NULL,
    CONSTRAINT pk_threads PRIMARY KEY (session, thread),
    CONSTRAINT fk_threads_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE boundaries (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    boundary INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    level TEXT NOT NULL,
    evidence TEXT NOT NULL,
    tokens_before INTEGER,
    tokens_after INTEGER,
    dropped_observations INTEGER NOT NULL,
    dropped_tokens_ref INTEGER NOT NULL,
    summary_writer TEXT,
    summary_number INTEGER,
    summary_part INTEGER,
    reattached INTEGER NOT NULL,
    CONSTRAINT pk_boundaries PRIMARY KEY (session, thread, boundary),
    CONSTRAINT fk_boundaries_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE iterations (
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    part INTEGER NOT NULL,
    iteration INTEGER NOT NULL,
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    uncached INTEGER NOT NULL,
    cache_read INTEGER NOT NULL,
    cache_write_5m INTEGER NOT NULL,
    cache_write_1h INTEGER NOT NULL,
    cache_write_30m INTEGER NOT NULL,
    cache_write_12h INTEGER NOT NULL,
    output INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    server_tool_calls INTEGER NOT NULL,
    pico_usd INTEGER,
    fresh_pico_usd INTEGER,
    written_pico_usd INTEGER,
    output_pico_usd INTEGER,
    warm_pico_usd INTEGER,
    unpriced TEXT NOT NULL,
    price_table TEXT NOT NULL,
    usage_raw TEXT NOT NULL,
    CONSTRAINT pk_iterations PRIMARY KEY (writer, number, part, iteration),
    CONSTRAINT fk_iterations_exchanges FOREIGN KEY(writer, number, part) REFERENCES exchanges (writer, number, part) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE observations (
    session TEXT NOT NULL,
    observation TEXT NOT NULL,
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    call TEXT NOT NULL,
    tool_class TEXT NOT NULL,
    "key" TEXT NOT NULL,
    resource TEXT NOT NULL,
    span TEXT NOT NULL,
    content_sha256 TEXT NOT NULL,
    tokens_ref INTEGER NOT NULL,
    line_count INTEGER NOT NULL,
    dropped_by INTEGER,
    CONSTRAINT pk_observations PRIMARY KEY (session, observation),
    CONSTRAINT fk_observations_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE turns (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    writer TEXT NOT NULL,
    number INTEGER NOT NULL,
    part INTEGER NOT NULL,
    purpose TEXT NOT NULL,
    model_asked TEXT NOT NULL,
    model_answered TEXT NOT NULL,
    message_id TEXT NOT NULL,
    stop_reason TEXT NOT NULL,
    started_us INTEGER NOT NULL,
    duration_us INTEGER,
    messages INTEGER NOT NULL,
    tools_sha256 TEXT NOT NULL,
    tool_count INTEGER NOT NULL,
    system_sha256 TEXT NOT NULL,
    context_tokens INTEGER,
    usage_missing INTEGER NOT NULL,
    usage_disagrees TEXT NOT NULL,
    fresh_tokens_ref INTEGER NOT NULL,
    reply_tokens_ref INTEGER NOT NULL,
    system_tokens_ref INTEGER,
    tools_tokens_ref INTEGER,
    said_tokens_ref INTEGER NOT NULL,
    summary_tokens_ref INTEGER,
    relation TEXT NOT NULL,
    cache_miss TEXT NOT NULL,
    CONSTRAINT pk_turns PRIMARY KEY (session, thread, turn),
    CONSTRAINT fk_turns_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT fk_turns_exchanges FOREIGN KEY(writer, number, part) REFERENCES exchanges (writer, number, part) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE calls (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    turn INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    call TEXT NOT NULL,
    tool TEXT NOT NULL,
    tool_class TEXT NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    span TEXT NOT NULL,
    arguments_sha256 TEXT NOT NULL,
    arguments_tokens_ref INTEGER NOT NULL,
    asked_us INTEGER NOT NULL,
    answered_us INTEGER,
    answered_turn INTEGER,
    result_sha256 TEXT NOT NULL,
    result_tokens_ref INTEGER,
    is_error INTEGER NOT NULL,
    error_type TEXT NOT NULL,
    label TEXT NOT NULL,
    suspected INTEGER NOT NULL,
    observation TEXT,
    repeats TEXT,
    boundary INTEGER,
    turns_later INTEGER,
    in_summary TEXT,
    reread_tokens_ref INTEGER,
    model_us INTEGER,
    because TEXT NOT NULL,
    CONSTRAINT pk_calls PRIMARY KEY (session, thread, turn, "index"),
    CONSTRAINT fk_calls_turns FOREIGN KEY(session, thread, turn) REFERENCES turns (session, thread, turn) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE TABLE drops (
    session TEXT NOT NULL,
    thread TEXT NOT NULL,
    boundary INTEGER NOT NULL,
    observation TEXT NOT NULL,
    turn INTEGER NOT NULL,
    in_summary TEXT NOT NULL,
    CONSTRAINT pk_drops PRIMARY KEY (session, thread, boundary, observation),
    CONSTRAINT fk_drops_boundaries FOREIGN KEY(session, thread, boundary) REFERENCES boundaries (session, thread, boundary) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT fk_drops_observations FOREIGN KEY(session, observation) REFERENCES observations (session, observation) DEFERRABLE INITIALLY DEFERRED
)
 STRICT;

CREATE INDEX ix_content_uses_sha256 ON content_uses (sha256);

CREATE INDEX ix_content_uses_used_us ON content_uses (used_us);

CREATE INDEX ix_drops_session_observation ON drops (session, observation);

CREATE INDEX ix_exchanges_opened_us ON exchanges (opened_us);

CREATE INDEX ix_exchanges_session ON exchanges (session);

CREATE INDEX ix_iterations_session ON iterations (session);

CREATE INDEX ix_observations_session_thread ON observations (session, thread);

CREATE INDEX ix_session_keys_session ON session_keys (session);

CREATE INDEX ix_sessions_last_us ON sessions (last_us);

CREATE INDEX ix_turns_writer_number_part ON turns (writer, number, part);
