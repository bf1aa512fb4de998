"""Every coefficient, interval and test once; functions of numbers, which know no judgement.

One rule for ties, everywhere: two values are equal if they differ by no more than TIE, which is far
above what the order of a sum can do and far below any digit that is printed. Values that are
joined by a chain of such steps share their mean rank; a side without any other value is constant,
and a coefficient of it is undefined. What is undefined is None, never nan and never 0.

scipy does what it offers for our cases: Kendall's tau-b, isotonic regression and the distributions.
Ranks and Pearson's coefficient are ours because a bootstrap over tasks counts each report several
times, Holm, Krippendorff's alpha and the intraclass correlations because scipy has none.
"""
