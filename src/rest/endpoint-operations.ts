import { print } from 'graphql'
import { endpoints } from './index.ts'

export const endpointOperations: string[] = endpoints.map(([, , { operation }]) => print(operation))
