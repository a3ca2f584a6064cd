/** Answers the commands of all clients of the AWS SDK, which send no request. */
import { STSClient } from '@aws-sdk/client-sts'
import { type MockInstance, vi } from 'vitest'

/** By the name of the command's class: an output, what makes it of an input, or an error. Any other command is an error. */
export type Answers = Record<string, object>

/** Until the mocks are restored. */
export const answerCommands = (answers: Answers): MockInstance =>
  vi
    .spyOn(Object.getPrototypeOf(STSClient.prototype), 'send')
    .mockImplementation(async (command: unknown): Promise<object> => {
      const { name } = Object(command).constructor
      const answer = answers[name] ?? new Error(`no answer for ${name}`)
      if (answer instanceof Error) throw answer
      return typeof answer === 'function' ? answer(Object(command).input) : answer
    })
