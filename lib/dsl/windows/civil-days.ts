/**
 * The Gregorian calendar as whole numbers: days since 1970-01-01, and months since January of the year 0. It knows neither zones nor
 * instants.
 *
 * Years are counted from March here, so that the leap day is the last of its year, and in eras of 400 years, after which the
 * calendar repeats itself.
 */

const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
/** From 0000-03-01 to 1970-01-01. */
const EPOCH_DAY = 719_468;
const MONTHS = 12;
/** Months from January to March. */
const MARCH = 2;

/** Days from the first of March to the first of the month so many months later: 31, 30, 31, 30, 31 days, again and again. */
const daysBeforeMonth = (fromMarch: number): number => Math.floor((153 * fromMarch + 2) / 5);
/** Days from the era's begin to the March of its year. */
const daysBeforeYear = (ofEra: number): number => ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100);

/** The first day of a month. */
export function firstDayOfMonth(month: number): number {
  const fromMarch = month - MARCH;
  const year = Math.floor(fromMarch / MONTHS);
  const era = Math.floor(year / YEARS_PER_ERA);
  const dayOfEra = daysBeforeYear(year - era * YEARS_PER_ERA) + daysBeforeMonth(fromMarch - year * MONTHS);
  return era * DAYS_PER_ERA + dayOfEra - EPOCH_DAY;
}

/** The month in which a day lies. */
export function monthOfDay(day: number): number {
  const sinceEras = day + EPOCH_DAY;
  const era = Math.floor(sinceEras / DAYS_PER_ERA);
  const dayOfEra = sinceEras - era * DAYS_PER_ERA;
  const leapDays = Math.floor(dayOfEra / 1_460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - daysBeforeYear(yearOfEra);
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  return (era * YEARS_PER_ERA + yearOfEra) * MONTHS + fromMarch + MARCH;
}

/** The day of a date: `month` from 1 to 12, `day` from 1. */
export function dayOfDate(date: { readonly year: number; readonly month: number; readonly day: number }): number {
  return firstDayOfMonth(date.year * MONTHS + date.month - 1) + date.day - 1;
}
