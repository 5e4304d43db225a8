import type { DistributionKind, RunStatus } from 'lending-graph-client'

/** How points were produced. */
export const KIND: Record<DistributionKind, string> = {
  IMPORT: 'Import',
  MANUALUPDATE: 'Manual update',
  RESYNC: 'Resync',
  UPDATE: 'Update',
}

export const STATUS: Record<RunStatus, string> = {
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
}
