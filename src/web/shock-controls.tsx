import type { Draft } from './draft.ts'
import { type Mover, percentText, RANGE, stepAt } from './scenario.ts'

interface ShockControlsProps {
  groups: readonly Mover[]
  single: readonly Mover[]
  mover: Mover
  /** A value in the address that neither list has. */
  unknown: string | undefined
  onMover(value: string): void
  change: Draft
}

/** The choice of the token or group that moves, and by how much. */
export function ShockControls(props: ShockControlsProps) {
  const { groups, single, mover, unknown, onMover, change } = props
  return (
    <div className="choices shock">
      <label>
        Token or group
        <select
          value={mover.value}
          onChange={({ target }) => onMover(target.value)}
          aria-invalid={unknown !== undefined || undefined}
          aria-describedby="mover-hint"
        >
          {groups.length > 0 && <Options label="Tokens that move together" of={groups} />}
          <Options label="One token" of={single} />
        </select>
        <small id="mover-hint" className={unknown === undefined ? undefined : 'loss'}>
          {unknown === undefined
            ? 'Other prices stay.'
            : `No token or group is ${unknown.slice(0, 42)}: this is ${mover.name}.`}
        </small>
      </label>
      <label>
        Price shock, in %
        <input
          inputMode="decimal"
          value={change.text}
          maxLength={10}
          onChange={({ target }) => change.set(target.value)}
          aria-invalid={!change.isValid || undefined}
          aria-describedby="change-hint"
        />
        <small id="change-hint" className={change.isValid ? undefined : 'loss'}>
          Above −100, at most 1000, not 0{!change.isValid && `: this is ${change.value}`}.
        </small>
      </label>
    </div>
  )
}

const Options = ({ label, of }: { label: string; of: readonly Mover[] }) => (
  <optgroup label={label}>
    {of.map(({ value, label }, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a token may be on several chains
      <option key={i} value={value}>
        {label}
      </option>
    ))}
  </optgroup>
)

/** The slider of the change. */
export const ShockSlider = ({ change }: { change: Draft }) => (
  <input
    type="range"
    aria-label="Price shock"
    aria-valuetext={percentText(change.value)}
    min={-RANGE}
    max={RANGE}
    step={1}
    value={Math.min(Math.max(change.value, -RANGE), RANGE)}
    onChange={({ target }) => change.set(String(stepAt(target.valueAsNumber, change.value)))}
  />
)
