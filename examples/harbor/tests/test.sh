#!/bin/sh
# Harbor runs this in the container and then reads /logs/verifier/reward.json. A report that cannot
# be scored leaves no reward, and the reason in /logs/verifier/deepassay.json.
work=$(mktemp -d)
mkdir -p "$work/reports/agent" /logs/verifier
cp /logs/artifacts/report.md "$work/reports/agent/terrace-heat.md"
deepassay evaluate /tests/task.jsonl "$work/reports" \
  --protocol presentation --protocol coverage \
  --run "$work/run.assay" --time-limit 500 --quiet
deepassay export "$work/run.assay" --format harbor --reward presentation -o /logs/verifier --force
