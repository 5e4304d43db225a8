import * as z from 'zod'
import { ConfigError } from '../config.ts'
import { nearestName } from '../domain/dataset/problem.ts'
import type { MultiplierUpdate } from '../domain/multiplier/update.ts'
import { multiplierInput } from '../rest/multiplier-input.ts'

function sentence(issue: z.core.$ZodIssue): string {
  const [at, name] = issue.path
  const which = `Multiplier ${Number(at) + 1}`
  if (issue.code !== 'unrecognized_keys')
    return name ? `${which}: ${String(name)} ${issue.message}.` : `${which} must be an object.`
  return issue.keys
    .map(
      (key) =>
        `${which}: ${key} is unknown, ${nearestName(key, Object.keys(multiplierInput.shape))}.`,
    )
    .join('\n')
}

/**
 * Reads multipliers in the format of `POST /multipliers/update`: one object or an array.
 * @throws ConfigError that says what is wrong with the text
 */
export function readMultipliers(text: string): MultiplierUpdate[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ConfigError('The multipliers are not JSON.')
  }
  const parsed = z.array(multiplierInput).safeParse([value].flat())
  if (!parsed.success)
    throw new ConfigError(
      `The multipliers are not valid.\n${parsed.error.issues.map(sentence).join('\n')}`,
    )
  return parsed.data.map((m) => ({
    poolAddress: m.poolAddress,
    ...(m.deposit_tokenA !== undefined && { depositA: m.deposit_tokenA }),
    ...(m.deposit_tokenB !== undefined && { depositB: m.deposit_tokenB }),
    ...(m.borrow_tokenA !== undefined && { borrowA: m.borrow_tokenA }),
    ...(m.borrow_tokenB !== undefined && { borrowB: m.borrow_tokenB }),
    ...(m.from !== undefined && { from: new Date(m.from) }),
  }))
}
