"""Say in words what a profile holds."""

from calibration.pairs import warnings_of
from calibration.remarks import Remark
from vision.profile import Profile


def described(profile: Profile) -> list[Remark]:
    """Say what was learned, and warn of faces that are close to each other."""
    return [Remark("learned", {"ring": profile.ring}), *warnings_of(profile)]
