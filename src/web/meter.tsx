/** A bar for a part of a whole, from 0 to 1. The number stands next to it. */
export const Meter = ({ part, isLoss = false }: { part: number; isLoss?: boolean }) => (
  <svg
    className={isLoss ? 'meter loss' : 'meter'}
    viewBox="0 0 100 6"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect width="100" height="6" />
    <rect className="part" width={(100 * Math.min(Math.max(part, 0), 1)).toFixed(1)} height="6" />
  </svg>
)
