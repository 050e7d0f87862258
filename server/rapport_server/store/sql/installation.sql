-- name: get
SELECT secrets_fingerprint, model_name, model_fingerprint, dimension FROM installation

-- name: lock
SELECT true FROM installation FOR UPDATE

-- name: set_secrets_fingerprint
UPDATE installation SET secrets_fingerprint = coalesce(secrets_fingerprint, %(fingerprint)s)
RETURNING secrets_fingerprint, model_name, model_fingerprint, dimension

-- name: set_model
UPDATE installation
SET model_name = CASE WHEN model_fingerprint IS NULL THEN %(name)s ELSE model_name END,
    dimension = CASE WHEN model_fingerprint IS NULL THEN %(dimension)s ELSE dimension END,
    model_fingerprint = coalesce(model_fingerprint, %(fingerprint)s)
RETURNING secrets_fingerprint, model_name, model_fingerprint, dimension
