import { reverseUnordered } from './reversed.ts'

reverseUnordered()
