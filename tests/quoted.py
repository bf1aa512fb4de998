"""A page, a sentence that stands in it but for typography, and one that does not."""

PAGE = (
    "Grid storage in Texas grew to 3.5 GW in 2023, the operator reported.\n\n"
    "Solar output did not grow in that year.\n\n"
    "The “largest” battery — Moss\u00adLanding — holds 3\u202f000 MWh.\n"
)
GREW = "Grid storage in Texas grew to 3.5 GW in 2023."
FELL = "Grid storage in Texas grew to 9.5 GW in 2023."
