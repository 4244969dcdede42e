import { setTimeout as sleep } from 'node:timers/promises'
import { line } from '../../src/kernel/shown.ts'
import {
  INVALID_PARAMS,
  type McpRequest,
  type McpSurface,
  type Prompt,
  type PromptMessages,
  ProtocolFault,
  type Question,
  type Resource,
  type ResourceContents,
  type Tool,
  type ToolAnswer,
} from '../../src/mcp/protocol.ts'
import { answer, embedded, image, png, text, user, wav } from './conformance-content.ts'

// The tools, resources and prompts that the public MCP conformance suite expects of the server under test. They stand
// on our own surface and pass through our own adapters, so that what the suite examines is this transport.

type Input = Record<string, unknown>

interface Fixture {
  description: string
  inputSchema?: Tool['inputSchema']
  run(input: Input, exchange: McpRequest): Promise<ToolAnswer | Question> | ToolAnswer | Question
}

const strings = (...names: string[]): Tool['inputSchema'] => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string', description: name }])),
  required: names,
})

const form = (message: string, properties: Record<string, unknown>, required: string[] = []) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
})
const sampling = (prompt: string) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
})
const roots = { method: 'roots/list' }
const nameForm = form('What is your name?', { name: { type: 'string' } }, ['name'])
const confirmForm = form('Please confirm', { ok: { type: 'boolean' } }, ['ok'])

/** Asks once, and tells the answers in words. */
const askOnce =
  (ask: Question['ask'], options: { state?: unknown; told?: string } = {}) =>
  (_input: Input, { answers, state }: McpRequest): ToolAnswer | Question => {
    const complete = Object.keys(ask).every((key) => answers[key] !== undefined)
    const remembered = options.state === undefined || state !== undefined
    if (!complete || !remembered) return { ask, ...(options.state === undefined ? {} : { state: options.state }) }
    return answer(text(`${options.told ?? 'answered:'} ${JSON.stringify(answers)}`))
  }

const choices = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
}

const pause = () => sleep(50)

const tools: Record<string, Fixture> = {
  test_simple_text: {
    description: 'Answers with text.',
    run: () => answer(text('This is a simple text response for testing.')),
  },
  test_image_content: { description: 'Answers with an image.', run: () => answer(image) },
  test_audio_content: {
    description: 'Answers with a sound.',
    run: () => answer({ type: 'audio', data: wav, mimeType: 'audio/wav' }),
  },
  test_embedded_resource: {
    description: 'Answers with a resource.',
    run: () => answer(embedded('test://embedded-resource', 'This is an embedded resource content.')),
  },
  test_multiple_content_types: {
    description: 'Answers with text, an image and a resource.',
    run: () =>
      answer(
        text('Multiple content types test:'),
        image,
        embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
      ),
  },
  test_error_handling: {
    description: 'Answers with an error.',
    run: () => ({ content: [text('This tool intentionally returns an error for testing')], isError: true }),
  },
  test_tool_with_logging: {
    description: 'Says three things while it runs.',
    run: async (_input, { notice }) => {
      for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        notice('info', said)
        await pause()
      }
      return answer(text('Tool with logging executed successfully'))
    },
  },
  test_tool_with_progress: {
    description: 'Reports progress in three steps.',
    run: async (_input, { progress }) => {
      for (const done of [0, 50, 100]) {
        progress({ done, total: 100, message: line`Completed step ${done} of 100` })
        await pause()
      }
      return answer(text('Tool with progress executed successfully'))
    },
  },
  test_sampling: {
    description: 'Asks the model of the client.',
    inputSchema: strings('prompt'),
    run: ({ prompt }, { answers }) => {
      if (answers.sample === undefined) return { ask: { sample: sampling(String(prompt)) } }
      return answer(text(`LLM response: ${JSON.stringify(answers.sample)}`))
    },
  },
  test_elicitation: {
    description: 'Asks the person for a name and an address.',
    inputSchema: strings('message'),
    run: ({ message }, { answers }) => {
      const fields = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }
      if (answers.user === undefined) return { ask: { user: form(String(message), fields, ['username', 'email']) } }
      return answer(text(`User response: ${JSON.stringify(answers.user)}`))
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Asks with a default for every kind of field.',
    run: askOnce({
      defaults: form('Please review the defaults', {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      }),
    }),
  },
  test_elicitation_sep1330_enums: {
    description: 'Asks with every kind of choice.',
    run: askOnce({ choices: form('Please choose', choices) }),
  },
  test_streaming_elicitation: {
    description: 'Reports progress, then asks.',
    run: (input, exchange) => {
      exchange.progress({ done: 1, total: 2, message: line`about to ask` })
      return askOnce({ user_name: nameForm })(input, exchange)
    },
  },
  test_logging_tool: {
    description: 'Says one thing at each level.',
    run: async (_input, { notice }) => {
      for (const level of ['debug', 'info', 'warning', 'error'] as const) notice(level, `a notice at ${level}`)
      return answer(text('logged'))
    },
  },
  test_missing_capability: {
    description: 'Needs the model of the client.',
    run: askOnce({ sample: sampling('Say hello') }),
  },
  json_schema_2020_12_tool: {
    description: 'Has an input schema with the keywords of draft 2020-12.',
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      properties: {
        name: { type: 'string' },
        address: { $ref: '#/$defs/address' },
        contactMethod: { type: 'string', enum: ['phone', 'email'] },
        phone: { type: 'string' },
        email: { type: 'string' },
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    run: (input) => answer(text(JSON.stringify(input))),
  },
  test_input_required_result_elicitation: { description: 'Asks for a name.', run: askOnce({ user_name: nameForm }) },
  test_input_required_result_sampling: {
    description: 'Asks the model for a capital.',
    run: askOnce({ capital_question: sampling('What is the capital of France?') }),
  },
  test_input_required_result_list_roots: {
    description: 'Asks for the roots.',
    run: askOnce({ client_roots: roots }),
  },
  test_input_required_result_request_state: {
    description: 'Asks, and remembers something meanwhile.',
    run: askOnce({ confirm: confirmForm }, { state: { step: 'confirm' }, told: 'state-ok' }),
  },
  test_input_required_result_multiple_inputs: {
    description: 'Asks three things at once.',
    run: askOnce(
      { user_name: nameForm, greeting: sampling('Write a greeting'), client_roots: roots },
      { state: { step: 'all' } },
    ),
  },
  test_input_required_result_multi_round: {
    description: 'Asks twice.',
    run: (_input, { answers, state }) => {
      const second = typeof state === 'object' && state !== null && 'first' in state
      if (second && answers.step2 !== undefined) {
        return answer(text(`both: ${JSON.stringify(state)} ${JSON.stringify(answers.step2)}`))
      }
      if (answers.step1 === undefined) {
        return { ask: { step1: form('Step 1: your name?', { name: { type: 'string' } }, ['name']) }, state: { at: 1 } }
      }
      const step2 = form('Step 2: your favorite color?', { color: { type: 'string' } }, ['color'])
      return { ask: { step2 }, state: { first: answers.step1 } }
    },
  },
  test_input_required_result_tampered_state: {
    description: 'Remembers something that must come back unchanged.',
    run: askOnce({ confirm: confirmForm }, { state: { step: 'tampered' }, told: 'state-ok' }),
  },
  test_input_required_result_capabilities: {
    description: 'Asks only what the client can be asked.',
    run: (_input, { clientCapabilities: askable, answers }) => {
      const ask = {
        ...(askable.has('elicitation') ? { user_name: nameForm } : {}),
        ...(askable.has('sampling') ? { greeting: sampling('Write a greeting') } : {}),
      }
      const open = Object.keys(ask).some((key) => answers[key] === undefined)
      return open ? { ask } : answer(text(`answered: ${JSON.stringify(answers)}`))
    },
  },
}

const resources: Record<string, Resource & { read: () => Omit<ResourceContents, 'uri'> }> = {
  'test://static-text': {
    uri: 'test://static-text',
    name: 'Static text',
    mimeType: 'text/plain',
    read: () => ({ mimeType: 'text/plain', text: 'This is the content of the static text resource.' }),
  },
  'test://static-binary': {
    uri: 'test://static-binary',
    name: 'Static binary',
    mimeType: 'image/png',
    read: () => ({ mimeType: 'image/png', blob: png }),
  },
}

const template = /^test:\/\/template\/([^/]+)\/data$/

const prompts: Record<
  string,
  Prompt & { write(input: Record<string, string>, exchange: McpRequest): PromptMessages | Question }
> = {
  test_simple_prompt: {
    name: 'test_simple_prompt',
    title: 'Simple',
    description: 'A prompt without arguments.',
    arguments: [],
    write: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    name: 'test_prompt_with_arguments',
    title: 'With arguments',
    description: 'A prompt with two arguments.',
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    write: ({ arg1, arg2 }) => ({ messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))] }),
  },
  test_prompt_with_embedded_resource: {
    name: 'test_prompt_with_embedded_resource',
    title: 'With a resource',
    description: 'A prompt that carries a resource.',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
    write: ({ resourceUri = '' }) => ({
      messages: [
        user(embedded(resourceUri, 'Embedded resource content for testing.')),
        user(text('Please process it.')),
      ],
    }),
  },
  test_prompt_with_image: {
    name: 'test_prompt_with_image',
    title: 'With an image',
    description: 'A prompt that carries an image.',
    arguments: [],
    write: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    name: 'test_input_required_result_prompt',
    title: 'That asks first',
    description: 'A prompt that needs an answer before it can be written.',
    arguments: [],
    write: (_input, { answers }) =>
      answers.user_context === undefined
        ? { ask: { user_context: form('What is the context?', { context: { type: 'string' } }, ['context']) } }
        : { messages: [user(text(`With context: ${JSON.stringify(answers.user_context)}`))] },
  },
}

/** The surface with the suite's fixtures beside what it offers. */
export function withConformanceFixtures(surface: McpSurface): McpSurface {
  const toolList = Object.entries(tools).map(
    ([name, { description, inputSchema = { type: 'object', properties: {} } }]): Tool => ({
      name,
      title: name,
      description,
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    }),
  )
  return {
    ...surface,
    tools: [...surface.tools, ...toolList],
    listTools: (caller) => [...surface.listTools(caller), ...toolList],
    callTool: async (name, input, exchange) => {
      const fixture = tools[name]
      if (fixture === undefined) return surface.callTool(name, input, exchange)
      const result = await fixture.run(input, exchange)
      return 'ask' in result ? result : { ...result }
    },
    listResources: async (exchange) => [
      ...(await surface.listResources(exchange)),
      ...Object.values(resources).map(({ read: _read, ...resource }) => resource),
    ],
    resourceTemplates: [
      ...surface.resourceTemplates,
      { uriTemplate: 'test://template/{id}/data', name: 'Template', mimeType: 'application/json' },
    ],
    readResource: async (uri, exchange) => {
      const resource = resources[uri]
      if (resource !== undefined) return [{ uri, ...resource.read() } as ResourceContents]
      const id = template.exec(uri)?.[1]
      if (id === undefined) return surface.readResource(uri, exchange)
      return [
        { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ${id}` }) },
      ]
    },
    prompts: [...surface.prompts, ...Object.values(prompts).map(({ write: _write, ...prompt }) => prompt)],
    getPrompt: async (name, input, exchange) => {
      const prompt = prompts[name]
      if (prompt === undefined) return surface.getPrompt(name, input, exchange)
      const missing = prompt.arguments.find(({ name: argument, required }) => required && input[argument] === undefined)
      if (missing !== undefined) throw new ProtocolFault(INVALID_PARAMS, `The argument ${missing.name} is missing.`)
      return prompt.write(input, exchange)
    },
    complete: async (subject, argument, typed, exchange) => {
      if (!('prompt' in subject) || prompts[subject.prompt] === undefined) {
        return surface.complete(subject, argument, typed, exchange)
      }
      const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(typed))
      return { values, total: values.length, hasMore: false }
    },
  }
}
