import { collectDefaultMetrics, Registry } from 'prom-client'

/** This process's metrics: the usual ones of Node, and those that parts of the gateway add. */
export function openMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
