import { register } from './typescript.mjs'

register()
