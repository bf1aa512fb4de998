"""All benchmarks: `make bench`."""

from benchmarks import (
    ablations,
    agents,
    annotating,
    auditing,
    bundles,
    context,
    deepeval,
    differential,
    engines,
    estimating,
    evaluating,
    fetching,
    kills,
    leakage,
    page,
    page_classes,
    ranking,
    reading,
    room,
    rubrics,
    scale,
    searching,
    starting,
    support,
)

reading.main()
starting.main()
agents.main()
support.main()
leakage.main()
page.main()
scale.main((300, 3_000))
room.main()
ranking.main()
fetching.main()
searching.main()
ablations.main()
page_classes.main()
estimating.main()
context.main()
evaluating.measure(0.2)
evaluating.measure(2.0)
deepeval.main()
rubrics.main()
differential.main()
kills.main()
annotating.main()
engines.main()
auditing.main(40)
bundles.main(200)
