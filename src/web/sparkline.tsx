/**
 * A line without axes that shows how a number moved. Gaps are left out. Screen readers get the
 * number that it goes with.
 */
export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const points = values.flatMap((value, x) => (value === null ? [] : [{ x, value }]))
  const [first, last] = [points[0], points.at(-1)]
  // It takes its place before its values come, so that nothing moves.
  if (!first || !last || first === last) return <svg className="spark" aria-hidden="true" />
  const sizes = points.map(({ value }) => value)
  const [low, high] = [Math.min(...sizes), Math.max(...sizes)]
  const y = (value: number) => (high === low ? 50 : 96 - ((value - low) / (high - low)) * 92)
  const line = points.map(({ x, value }) => `${x} ${y(value).toFixed(2)}`).join('L')
  return (
    <svg
      className="spark"
      viewBox={`${first.x} 0 ${last.x - first.x} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="area" d={`M${first.x} 100L${line}L${last.x} 100Z`} />
      <path d={`M${line}`} />
    </svg>
  )
}
