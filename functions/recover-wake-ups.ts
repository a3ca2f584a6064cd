/** Wake-ups that failed for good, because of a fault of our own: their lanes are entered into the index, so that the sweep finds them. */
import type { SQSEvent } from 'aws-lambda'
import { recover } from '../lib/outbox/timer.ts'

export const recoverWakeUps = ({ Records }: SQSEvent): Promise<void> => recover(Records)
