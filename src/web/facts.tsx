import type { ReactNode } from 'react'
import { useExactNumbers } from './exact-numbers.tsx'

interface FactsProps {
  /** True for the few numbers that a page begins with. */
  lead?: boolean
  /** True for many numbers in a narrow place. */
  compact?: boolean
  children: ReactNode
}

/**
 * Numbers with their names, side by side: large ones lead a page. With all their digits they are as
 * wide as they need.
 */
export const Facts = ({ lead = false, compact = false, children }: FactsProps) => (
  <dl
    className={['facts', lead && 'lead', compact && 'compact', useExactNumbers().isExact && 'exact']
      .filter(Boolean)
      .join(' ')}
  >
    {children}
  </dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
