/** Explains the form of a date. */
export const NotADate = ({ text }: { text: string }) => (
  <p className="fault" role="alert">
    “{text}” is not a date: it needs a year, month and day, such as 2026-01-31.
  </p>
)
