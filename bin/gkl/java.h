/* SPDX-License-Identifier: MIT
 * The functions of the Java Native Interface that are called here, by their numbers in its specification ("Interface
 * Function Table"). They are the same for every Java since 1.6, so a build needs no JDK. */
#ifndef WS_GKL_JAVA_H
#define WS_GKL_JAVA_H

#include <stddef.h>
#include <stdint.h>

/* References to objects, classes, arrays and fields are pointers that only Java follows. */
typedef struct ws_java_table ws_java_table;
typedef const ws_java_table *ws_java; /* JNIEnv */

struct ws_java_table {
    void *unused0[6];
    void *(*find_class)(ws_java *env, const char *name);
    void *unused7[7];
    int32_t (*throw_new)(ws_java *env, void *class, const char *message);
    void *unused15[8];
    void (*delete_local_ref)(ws_java *env, void *object);
    void *unused24[70];
    void *(*get_field_id)(ws_java *env, void *class, const char *name, const char *type);
    void *(*get_object_field)(ws_java *env, void *object, void *field);
    void *unused96[75];
    int32_t (*get_array_length)(ws_java *env, void *array);
    void *unused172[1];
    void *(*get_object_array_element)(ws_java *env, void *array, int32_t i);
    void *unused174[26];
    void (*get_byte_array_region)(ws_java *env, void *array, int32_t from, int32_t n, int8_t *to);
    void *unused201[13];
    void (*set_double_array_region)(ws_java *env, void *array, int32_t at, int32_t n, const double *from);
    void *unused215[13];
    uint8_t (*exception_check)(ws_java *env);
};

#define WS_JAVA_NUMBER(function, number)                                                                               \
    _Static_assert(offsetof(ws_java_table, function) == (number) * sizeof(void *), #function)
WS_JAVA_NUMBER(find_class, 6);
WS_JAVA_NUMBER(throw_new, 14);
WS_JAVA_NUMBER(delete_local_ref, 23);
WS_JAVA_NUMBER(get_field_id, 94);
WS_JAVA_NUMBER(get_object_field, 95);
WS_JAVA_NUMBER(get_array_length, 171);
WS_JAVA_NUMBER(get_object_array_element, 173);
WS_JAVA_NUMBER(get_byte_array_region, 200);
WS_JAVA_NUMBER(set_double_array_region, 214);
WS_JAVA_NUMBER(exception_check, 228);

#endif
