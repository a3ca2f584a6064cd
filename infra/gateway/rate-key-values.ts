/** Values of API keys of the stack's own: an account knows each value once, so that those of an earlier stack would be in the way of the next. */
import { ofType, type Resource, variablesOf } from '../service.ts'

/** A part of the stack's id: eight characters that no other stack has. */
const STACK_PART = {
  'Fn::Select': [0, { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] }],
}

/**
 * What the values begin with. Not as those of keys that the stack itself had before they were nested: an update makes the new keys before it removes
 * the old ones.
 */
export const prefixOfStack = (prefix: string) => ({ 'Fn::Join': ['', [`${prefix}-nested-`, STACK_PART]] as const })

/** Tells the authorizer, who names them, what they begin with. */
export const tellPrefixOfStack = (resources: Record<string, Resource>, prefix: string): void => {
  for (const [, lambda] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = variablesOf(lambda)
    if (variables.RATE_KEY_PREFIX === prefix) variables.RATE_KEY_PREFIX = prefixOfStack(prefix)
  }
}
