import type { ReactNode } from 'react'

/** Numbers with their names, side by side. */
export const Facts = ({ children }: { children: ReactNode }) => <dl className="facts">{children}</dl>

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
