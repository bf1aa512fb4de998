"""What people bring, as rows: spreadsheets, CSV, JSON, YAML, texts, Parquet, data frames, ZIP."""
