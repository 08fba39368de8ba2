"""The one exception that a user is meant to see."""


class SpecificationError(ValueError):
    """A request that cannot be met: what is wrong, where, and what would be right.

    The command line prints the message as one paragraph and exits with code 2. Library code raises
    it for every input that a user controls; anything else that escapes is a defect of Residua.
    """
