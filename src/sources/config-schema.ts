import { z } from 'zod'
import { isObject } from '../kernel/json-object.ts'
import { CommonConfig } from './config.ts'
import type { Plugins } from './plugins.ts'

type JsonSchema = Record<string, unknown>

/** The JSON Schema of a whole payload, one alternative per source type; generated when it is first read. */
export function configJsonSchema(plugins: Plugins): JsonSchema {
  let alternatives: JsonSchema[] | undefined
  return {
    get oneOf() {
      alternatives ??= listAlternatives(plugins)
      return alternatives
    },
  }
}

function listAlternatives(plugins: Plugins): JsonSchema[] {
  const common = toSchema(CommonConfig)
  const properties = isObject(common.properties) ? common.properties : {}
  return plugins.connectors.map((connector) =>
    withMembers(toSchema(connector.publishedPayload ?? connector.payload), properties),
  )
}

function toSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'throw' }) as JsonSchema
  return rest
}

/** Adds the members common to all types to each object alternative of a schema. */
function withMembers(schema: JsonSchema, members: JsonSchema): JsonSchema {
  if (isObject(schema.properties)) return { ...schema, properties: { ...schema.properties, ...members } }
  for (const branch of ['anyOf', 'oneOf'] as const) {
    const alternatives = schema[branch]
    if (Array.isArray(alternatives)) {
      return { ...schema, [branch]: alternatives.map((one) => (isObject(one) ? withMembers(one, members) : one)) }
    }
  }
  return schema
}
