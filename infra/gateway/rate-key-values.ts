/** API keys of the stack's own: an account knows each value once, so that those of an earlier stack would be in the way of the next. */
import { ofType, type Resource, variablesOf } from '../service.ts'

/** A part of the stack's id: eight characters that no other stack has. */
const STACK_PART = {
  'Fn::Select': [0, { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] }],
}

const ofStack = (prefix: string, rest: string) => ({ 'Fn::Join': ['', [`${prefix}-`, STACK_PART, rest]] })

/** Puts a part of the stack's id behind the prefix of the keys' values, and tells the authorizer, who names them, the same prefix. */
export const nameKeysOfStack = (resources: Record<string, Resource>, prefix: string): void => {
  for (const [, { Properties }] of ofType(resources, 'AWS::ApiGateway::ApiKey')) {
    const { Value } = Properties
    if (typeof Value === 'string' && Value.startsWith(prefix))
      Properties.Value = ofStack(prefix, Value.slice(prefix.length))
  }
  for (const [, lambda] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = variablesOf(lambda)
    if (variables.RATE_KEY_PREFIX === prefix) variables.RATE_KEY_PREFIX = ofStack(prefix, '')
  }
}
