/** Views with charts that few readers open first: one script, loaded with the first of them. */
export { Compare } from './compare.tsx'
export { Distributions } from './distributions.tsx'
export { Vault } from './vault.tsx'
