/* SettingText: what a setting may look like. A value that the API server would refuse in an object
 * is refused at the start, under the name that its owner knows. */
#ifndef SEI_API_SETTING_TEXT_H
#define SEI_API_SETTING_TEXT_H

#include "sei/api/settings.h"

/* What is wrong with a value of that type, in words behind the value; NULL: nothing, or it is no
 * type of text. */
const char *setting_text_fault(SettingType type, const char *text);

#endif
