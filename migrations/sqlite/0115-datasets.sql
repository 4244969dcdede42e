-- Both are words; 0: none. The BI dataset that an asset is or lies in, where datasets are containers, and the container
-- of the asset's container: the workspace of a table's dataset.
ALTER TABLE asset ADD COLUMN dataset_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE asset ADD COLUMN parent_container_id INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER asset_log_dataset AFTER UPDATE OF dataset_id ON asset WHEN old.dataset_id <> new.dataset_id
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
END;
