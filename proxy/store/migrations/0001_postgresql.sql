CREATE TABLE audit_labels (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    index BIGINT NOT NULL,
    sample TEXT COLLATE "C" NOT NULL,
    product_label TEXT COLLATE "C" NOT NULL,
    hand_label TEXT COLLATE "C" NOT NULL,
    imported_us BIGINT NOT NULL,
    CONSTRAINT pk_audit_labels PRIMARY KEY (session, thread, turn, index)
);

CREATE TABLE contents (
    sha256 TEXT COLLATE "C" NOT NULL,
    size_bytes BIGINT NOT NULL,
    redacted BOOLEAN NOT NULL,
    packed BYTEA NOT NULL,
    CONSTRAINT pk_contents PRIMARY KEY (sha256)
);

CREATE TABLE forgotten (
    writer TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    part BIGINT NOT NULL,
    opened_us BIGINT NOT NULL,
    CONSTRAINT pk_forgotten PRIMARY KEY (writer, number, part)
);

CREATE TABLE marks (
    writer TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    segment BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    CONSTRAINT pk_marks PRIMARY KEY (writer)
);

CREATE TABLE meta (
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_meta PRIMARY KEY (name)
);

CREATE TABLE session_state (
    session TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    CONSTRAINT pk_session_state PRIMARY KEY (session)
);

CREATE TABLE sessions (
    session TEXT COLLATE "C" NOT NULL,
    key_kind TEXT COLLATE "C" NOT NULL,
    client TEXT COLLATE "C" NOT NULL,
    client_version TEXT COLLATE "C" NOT NULL,
    door TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    first_us BIGINT NOT NULL,
    last_us BIGINT NOT NULL,
    door_effects TEXT COLLATE "C" NOT NULL,
    labels TEXT COLLATE "C" NOT NULL,
    run TEXT COLLATE "C",
    pair TEXT COLLATE "C",
    arm_order BIGINT,
    checkpoint_sha256 TEXT COLLATE "C",
    condition TEXT COLLATE "C",
    seed BIGINT,
    repeat BIGINT,
    CONSTRAINT pk_sessions PRIMARY KEY (session)
);

CREATE TABLE content_uses (
    session TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    used_us BIGINT NOT NULL,
    CONSTRAINT pk_content_uses PRIMARY KEY (session, sha256),
    CONSTRAINT fk_content_uses_contents FOREIGN KEY(sha256) REFERENCES contents (sha256) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE exchanges (
    writer TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    part BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" NOT NULL,
    upstream TEXT COLLATE "C" NOT NULL,
    door TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    status BIGINT,
    opened_us BIGINT NOT NULL,
    first_byte_us BIGINT,
    duration_us BIGINT,
    request_bytes BIGINT NOT NULL,
    response_bytes BIGINT NOT NULL,
    session TEXT COLLATE "C",
    thread TEXT COLLATE "C",
    turn BIGINT,
    attempt BIGINT,
    faults TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_exchanges PRIMARY KEY (writer, number, part),
    CONSTRAINT fk_exchanges_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE session_keys (
    sign TEXT COLLATE "C" NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    noted_us BIGINT NOT NULL,
    CONSTRAINT pk_session_keys PRIMARY KEY (sign),
    CONSTRAINT fk_session_keys_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE state_parts (
    session TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    packed BYTEA NOT NULL,
    CONSTRAINT pk_state_parts PRIMARY KEY (session, part),
    CONSTRAINT fk_state_parts_session_state FOREIGN KEY(session) REFERENCES session_state (session) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE threads (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    parent TEXT COLLATE "C",
    agent_type TEXT COLLATE "C" NOT NULL,
    first_us BIGINT NOT NULL,
    why TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_threads PRIMARY KEY (session, thread),
    CONSTRAINT fk_threads_sessions FOREIGN KEY(session) REFERENCES sessions (session) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE boundaries (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    boundary BIGINT NOT NULL,
    turn BIGINT NOT NULL,
    at_us BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    trigger TEXT COLLATE "C" NOT NULL,
    level TEXT COLLATE "C" NOT NULL,
    evidence TEXT COLLATE "C" NOT NULL,
    tokens_before BIGINT,
    tokens_after BIGINT,
    dropped_observations BIGINT NOT NULL,
    dropped_tokens_ref BIGINT NOT NULL,
    summary_writer TEXT COLLATE "C",
    summary_number BIGINT,
    summary_part BIGINT,
    reattached BIGINT NOT NULL,
    CONSTRAINT pk_boundaries PRIMARY KEY (session, thread, boundary),
    CONSTRAINT fk_boundaries_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE iterations (
    writer TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    part BIGINT NOT NULL,
    iteration BIGINT NOT NULL,
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    model TEXT COLLATE "C" NOT NULL,
    uncached BIGINT NOT NULL,
    cache_read BIGINT NOT NULL,
    cache_write_5m BIGINT NOT NULL,
    cache_write_1h BIGINT NOT NULL,
    cache_write_30m BIGINT NOT NULL,
    cache_write_12h BIGINT NOT NULL,
    output BIGINT NOT NULL,
    reasoning BIGINT NOT NULL,
    server_tool_calls BIGINT NOT NULL,
    pico_usd BIGINT,
    fresh_pico_usd BIGINT,
    written_pico_usd BIGINT,
    output_pico_usd BIGINT,
    warm_pico_usd BIGINT,
    unpriced TEXT COLLATE "C" NOT NULL,
    price_table TEXT COLLATE "C" NOT NULL,
    usage_raw TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_iterations PRIMARY KEY (writer, number, part, iteration),
    CONSTRAINT fk_iterations_exchanges FOREIGN KEY(writer, number, part) REFERENCES exchanges (writer, number, part) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE observations (
    session TEXT COLLATE "C" NOT NULL,
    observation TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    call TEXT COLLATE "C" NOT NULL,
    tool_class TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    resource TEXT COLLATE "C" NOT NULL,
    span TEXT COLLATE "C" NOT NULL,
    content_sha256 TEXT COLLATE "C" NOT NULL,
    tokens_ref BIGINT NOT NULL,
    line_count BIGINT NOT NULL,
    dropped_by BIGINT,
    CONSTRAINT pk_observations PRIMARY KEY (session, observation),
    CONSTRAINT fk_observations_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE turns (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    writer TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    part BIGINT NOT NULL,
    purpose TEXT COLLATE "C" NOT NULL,
    model_asked TEXT COLLATE "C" NOT NULL,
    model_answered TEXT COLLATE "C" NOT NULL,
    message_id TEXT COLLATE "C" NOT NULL,
    stop_reason TEXT COLLATE "C" NOT NULL,
    started_us BIGINT NOT NULL,
    duration_us BIGINT,
    messages BIGINT NOT NULL,
    tools_sha256 TEXT COLLATE "C" NOT NULL,
    tool_count BIGINT NOT NULL,
    system_sha256 TEXT COLLATE "C" NOT NULL,
    context_tokens BIGINT,
    usage_missing BOOLEAN NOT NULL,
    usage_disagrees TEXT COLLATE "C" NOT NULL,
    fresh_tokens_ref BIGINT NOT NULL,
    reply_tokens_ref BIGINT NOT NULL,
    system_tokens_ref BIGINT,
    tools_tokens_ref BIGINT,
    said_tokens_ref BIGINT NOT NULL,
    summary_tokens_ref BIGINT,
    relation TEXT COLLATE "C" NOT NULL,
    cache_miss TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_turns PRIMARY KEY (session, thread, turn),
    CONSTRAINT fk_turns_threads FOREIGN KEY(session, thread) REFERENCES threads (session, thread) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT fk_turns_exchanges FOREIGN KEY(writer, number, part) REFERENCES exchanges (writer, number, part) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE calls (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    index BIGINT NOT NULL,
    call TEXT COLLATE "C" NOT NULL,
    tool TEXT COLLATE "C" NOT NULL,
    tool_class TEXT COLLATE "C" NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    resource TEXT COLLATE "C" NOT NULL,
    span TEXT COLLATE "C" NOT NULL,
    arguments_sha256 TEXT COLLATE "C" NOT NULL,
    arguments_tokens_ref BIGINT NOT NULL,
    asked_us BIGINT NOT NULL,
    answered_us BIGINT,
    answered_turn BIGINT,
    result_sha256 TEXT COLLATE "C" NOT NULL,
    result_tokens_ref BIGINT,
    is_error BOOLEAN NOT NULL,
    error_type TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    suspected BOOLEAN NOT NULL,
    observation TEXT COLLATE "C",
    repeats TEXT COLLATE "C",
    boundary BIGINT,
    turns_later BIGINT,
    in_summary TEXT COLLATE "C",
    reread_tokens_ref BIGINT,
    model_us BIGINT,
    because TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_calls PRIMARY KEY (session, thread, turn, index),
    CONSTRAINT fk_calls_turns FOREIGN KEY(session, thread, turn) REFERENCES turns (session, thread, turn) DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE drops (
    session TEXT COLLATE "C" NOT NULL,
    thread TEXT COLLATE "C" NOT NULL,
    boundary BIGINT NOT NULL,
    observation TEXT COLLATE "C" NOT NULL,
    turn BIGINT NOT NULL,
    in_summary TEXT COLLATE "C" NOT NULL,
    CONSTRAINT pk_drops PRIMARY KEY (session, thread, boundary, observation),
    CONSTRAINT fk_drops_boundaries FOREIGN KEY(session, thread, boundary) REFERENCES boundaries (session, thread, boundary) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT fk_drops_observations FOREIGN KEY(session, observation) REFERENCES observations (session, observation) DEFERRABLE INITIALLY DEFERRED
);

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
