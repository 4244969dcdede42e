-- What a connector has begun on the platform for a scan, in its own words, so that a scan that goes on need not begin it again.
ALTER TABLE scan ADD COLUMN notebook TEXT;
