import { foreignRules } from './languages.ts'
import { overrideRules } from './override-rules.ts'
import { roleRules } from './role-rules.ts'
import type { InjectionRule } from './rule.ts'
import { theftRules } from './theft-rules.ts'

export const injectionRules: readonly InjectionRule[] = [...overrideRules, ...roleRules, ...theftRules, ...foreignRules]
