CREATE VIEW events AS
WITH spent AS (
    SELECT
        writer,
        number,
        part,
        CAST(SUM(uncached + cache_read + cache_write_5m + cache_write_1h + cache_write_30m + cache_write_12h)
            AS BIGINT) AS input_tokens,
        CAST(SUM(output) AS BIGINT) AS output_tokens,
        CAST(SUM(cache_read) AS BIGINT) AS cache_read_tokens,
        CAST(SUM(cache_write_5m + cache_write_1h + cache_write_30m + cache_write_12h) AS BIGINT)
            AS cache_write_tokens,
        CAST(SUM(CASE WHEN kind = 'compaction'
            THEN uncached + cache_read + cache_write_5m + cache_write_1h + cache_write_30m + cache_write_12h + output
            ELSE 0 END) AS BIGINT) AS compaction_tokens
    FROM iterations
    GROUP BY writer, number, part
)
SELECT
    t.session || '/' || t.thread || '/' || CAST(t.turn AS TEXT)
        || CASE WHEN c.session IS NULL THEN '' ELSE '/' || CAST(c."index" AS TEXT) END AS event_id,
    s.run,
    s.pair,
    s.arm_order,
    t.session,
    s.checkpoint_sha256,
    s."condition",
    s.seed,
    s.repeat,
    t.thread,
    t.turn,
    c.tool,
    c.arguments_sha256,
    c.result_sha256,
    c.result_tokens_ref,
    COALESCE(c.asked_us, t.started_us) AS started_us,
    CASE WHEN c.session IS NULL THEN t.started_us + t.duration_us ELSE a.started_us END AS ended_us,
    x.input_tokens,
    x.output_tokens,
    x.cache_read_tokens,
    x.cache_write_tokens,
    CASE WHEN t.purpose = 'summary' THEN x.input_tokens + x.output_tokens ELSE x.compaction_tokens END
        AS compaction_tokens,
    COALESCE(c.error_type, '') AS error_type,
    c.boundary,
    CASE WHEN c.label = 'reacquisition' THEN 1 ELSE 0 END AS reacquisition
FROM turns AS t
INNER JOIN sessions AS s ON s.session = t.session
LEFT JOIN calls AS c ON c.session = t.session AND c.thread = t.thread AND c.turn = t.turn
LEFT JOIN turns AS a ON a.session = c.session AND a.thread = c.thread AND a.turn = c.answered_turn
LEFT JOIN spent AS x ON x.writer = t.writer AND x.number = t.number AND x.part = t.part AND COALESCE(c."index", 0) = 0
UNION ALL
SELECT
    e.writer || '/' || CAST(e.number AS TEXT)
        || CASE WHEN e.part = 0 THEN '' ELSE '.' || CAST(e.part AS TEXT) END AS event_id,
    s.run,
    s.pair,
    s.arm_order,
    e.session,
    s.checkpoint_sha256,
    s."condition",
    s.seed,
    s.repeat,
    e.thread,
    e.turn,
    NULL AS tool,
    NULL AS arguments_sha256,
    NULL AS result_sha256,
    NULL AS result_tokens_ref,
    e.opened_us AS started_us,
    e.opened_us + e.duration_us AS ended_us,
    x.input_tokens,
    x.output_tokens,
    x.cache_read_tokens,
    x.cache_write_tokens,
    x.compaction_tokens,
    e.reason AS error_type,
    NULL AS boundary,
    0 AS reacquisition
FROM exchanges AS e
INNER JOIN sessions AS s ON s.session = e.session
LEFT JOIN spent AS x ON x.writer = e.writer AND x.number = e.number AND x.part = e.part
WHERE e.kind = 'attempt'
