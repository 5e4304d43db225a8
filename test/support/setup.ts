import { printCausesOfFailures } from './causes.ts'

printCausesOfFailures()
