/** Values of API keys that are unique to the stack: values are unique in an account, so those of an earlier stack would conflict with the next. */
import { ofType, type Resource, variablesOf } from '../service.ts'

/** A part of the stack's id: eight characters that no other stack has. */
const STACK_PART = {
  'Fn::Select': [0, { 'Fn::Split': ['-', { 'Fn::Select': [2, { 'Fn::Split': ['/', { Ref: 'AWS::StackId' }] }] }] }],
}

/** Prefix of the values. */
export const prefixOfStack = (prefix: string) => ({ 'Fn::Join': ['', [`${prefix}-`, STACK_PART]] })

/** Gives the prefix to the authorizer, which names the keys. */
export const tellPrefixOfStack = (resources: Record<string, Resource>, prefix: string): void => {
  for (const [, lambda] of ofType(resources, 'AWS::Lambda::Function')) {
    const variables = variablesOf(lambda)
    if (variables.RATE_KEY_PREFIX === prefix) variables.RATE_KEY_PREFIX = prefixOfStack(prefix)
  }
}
