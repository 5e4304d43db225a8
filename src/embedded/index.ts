/** The door of the embedded Postgres. */

export { findEmbedded, openEmbedded } from './embedded.ts'
