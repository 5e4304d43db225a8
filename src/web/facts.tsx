import type { ReactNode } from 'react'
import { useExactNumbers } from './exact-numbers.tsx'

/** Numbers with their names, side by side. With all their digits they are as wide as they need. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className={useExactNumbers().isExact ? 'facts exact' : 'facts'}>{children}</dl>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
