/** Values of API keys that are unique to the stack: values are unique in an account, so those of an earlier stack would conflict with the next. */
import { ofType, type Resource, variablesOf } from '../service.ts'

/** A part of the stack's id: eight characters that no other stack has. */
const STACK_PART = {
  'Fn::Select': [0, { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] }],
}

/**
 * Prefix of the values. It differs from that of keys which the stack itself had before they were nested: an update creates the new keys before it
 * deletes the old ones, and no two keys may have the same value.
 */
export const prefixOfStack = (prefix: string) => ({ 'Fn::Join': ['', [`${prefix}-nested-`, STACK_PART]] as const })

/** Gives the prefix to the authorizer, which names the keys. */
export const tellPrefixOfStack = (resources: Record<string, Resource>, prefix: string): void => {
  for (const [, lambda] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = variablesOf(lambda)
    if (variables.RATE_KEY_PREFIX === prefix) variables.RATE_KEY_PREFIX = prefixOfStack(prefix)
  }
}
