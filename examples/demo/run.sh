#!/bin/sh
# The demonstration: three invented agents on six invented tasks, judged by the offline rules; then
# three agents that answer three tasks over a small corpus here and now, and are judged likewise.
# Called as: sh examples/demo/run.sh [path to deepassay], from the root of the repository.
set -eu

deepassay=${1:-deepassay}
demo=$(dirname "$0")
run=build/demo.assay
answers=build/research.assay

mkdir -p build
rm -rf build/answers
for each in "$run" "$answers"; do rm -f "$each" "$each-wal" "$each-shm" "$each.lock"; done

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

echo
echo "Three agents answer three tasks over 17 pages, without a model:"
corpus=$demo/research/corpus
python=$(dirname "$deepassay")/python
[ -x "$python" ] || python=python3
# What the agents may cite, kept for those who check citations.
"$deepassay" sources import "$corpus"/* --snapshots "$answers"
"$deepassay" research "$demo/research/tasks.jsonl" \
  --agent "ours=deerflow+" --agent "printed=deerflow+:paper" \
  --agent "plain=command:$python $demo/research/grep_agent.py {prompt_file} {out_file} {sandbox}" \
  --search "corpus:$corpus" --sandbox "$corpus" \
  --offline-sources --date 2026-05-04 -o build/answers --run "$answers"
"$deepassay" evaluate "$demo/research/tasks.jsonl" "$answers" \
  --protocol presentation --protocol coverage --protocol fact --protocol retrieval \
  --offline-sources --judge offline --run "$answers"
cat <<END

More:
  $deepassay explain $answers --agent ours --task on-call-buses --protocol fact
  less build/answers/ours/on-call-buses.md
  $deepassay explain $run --agent magpie --task swift-boxes
  $deepassay compare $run --protocol presentation
  $deepassay lint $demo/reports/cuckoo
END
