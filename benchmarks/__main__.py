"""All benchmarks: `make bench`."""

from benchmarks import (
    deepeval,
    evaluating,
    fetching,
    leakage,
    page,
    race,
    ranking,
    reading,
    rubrics,
    starting,
    support,
)

reading.main()
starting.main()
race.main()
support.main()
leakage.main()
page.main()
ranking.main()
fetching.main()
evaluating.measure(0.2)
evaluating.measure(2.0)
deepeval.main()
rubrics.main()
