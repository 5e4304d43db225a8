import type { ReactNode } from 'react'
import { useExactNumbers } from './exact-numbers.tsx'

/** Numbers with their names, side by side: large ones lead a page. With all their digits they are as wide as they need. */
export const Facts = ({ lead = false, children }: { lead?: boolean; children: ReactNode }) => (
  <dl className={['facts', lead && 'lead', useExactNumbers().isExact && 'exact'].filter(Boolean).join(' ')}>
    {children}
  </dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
