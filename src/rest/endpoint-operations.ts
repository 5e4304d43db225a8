import { endpoints } from './index.ts'
import { operationText } from './operation-text.ts'

/** The texts of the operations that the endpoints execute. */
export const endpointOperations: string[] = endpoints.map(([, , { operation }]) => operationText(operation))
