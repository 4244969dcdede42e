/** A parameter of a call, as the platform's description has it. */
export interface Parameter {
  in: string
  type: string
  items?: string
  values?: string[]
  maximum?: number
  minimum?: number
  maxItems?: number
  required?: boolean
}

/** A call that the platform answers, with the members that an item of its reply has. */
export interface Call {
  parameters: Record<string, Parameter>
  reply?: { status: number; list?: string; item: Record<string, string> }
}
