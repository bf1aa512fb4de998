#!/bin/sh
# The demonstration: three invented agents on six invented tasks, judged by the offline rules.
# Called as: sh examples/demo/run.sh [path to deepassay], from the root of the repository.
set -eu

deepassay=${1:-deepassay}
demo=$(dirname "$0")
run=build/demo.assay

mkdir -p build
rm -f "$run" "$run-wal" "$run-shm" "$run.lock"

# The pages that the reports cite, as they would have been fetched; nothing is fetched here.
"$deepassay" sources import "$demo/pages.jsonl" --snapshots "$run"
# The date is given so that the task with an open date reads the same on every day.
"$deepassay" evaluate "$demo/tasks.jsonl" "$demo/reports" \
  --protocol presentation --protocol coverage --protocol race --protocol fact --protocol rubrics \
  --reference heron --criteria "$demo/criteria.yaml" --rubric "$demo/rubrics.yaml" \
  --offline-sources \
  --judge offline --date 2026-05-04 --run "$run"
echo
"$deepassay" html "$run" -o build/results.html --force
cat <<END

More:
  $deepassay explain $run --agent magpie --task swift-boxes
  $deepassay compare $run --protocol presentation
  $deepassay lint $demo/reports/cuckoo
END
