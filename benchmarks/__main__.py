"""All benchmarks: `make bench`."""

from benchmarks import (
    deepeval,
    evaluating,
    fetching,
    leakage,
    page,
    race,
    race_asked,
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
race_asked.main()
deepeval.main()
rubrics.main()
