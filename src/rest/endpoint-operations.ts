import { endpoints } from './index.ts'
import { operationText } from './operation-text.ts'

export const endpointOperations: string[] = endpoints.map(([, , { operation }]) => operationText(operation))
