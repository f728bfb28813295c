"""Lines F19 to F36: keys, SQL, disks, herds, payloads, placement, soak, simulation and upgrades."""

from tests.faults.line import Line

SECOND = tuple(
    Line(number=f"F{number}", fault="", mark="", reason="being written") for number in range(19, 37)
)
