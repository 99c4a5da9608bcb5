"""What a caller is told who is beyond a limit, as errors that every reference's form can take."""

from __future__ import annotations

from reasonloom.errors import BudgetExceeded


class DailyLimit(BudgetExceeded):
    """The owner has used up a day's tokens or money; the same call can succeed later."""

    retryable = True


class AnswerTooLarge(BudgetExceeded):
    """The answer is longer than the server gives out, so that nothing of it is given."""
