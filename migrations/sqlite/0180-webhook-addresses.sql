-- Addresses of webhooks are shown as scheme and host: stored texts are masked again when the database is opened.
DELETE FROM install WHERE name = 'texts_hidden';
