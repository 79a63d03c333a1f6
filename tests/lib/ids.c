/* SPDX-License-Identifier: MIT
 * The list of --device, and which devices the driver gets to see. */
#include "lib/dev/device.h"
#include "lib/dev/ids.h"
#include "tests/tap.h"

#include <stdlib.h>
#include <string.h>

static int fails(const char *list, const char *with) {
    ws_dev_ids ids;
    ws_err err = {0};
    return ws_dev_ids_parse(&ids, list, &err) == WS_EUSAGE && strstr(err.text, with) != NULL;
}

int main(void) {
    static const char variable[] = "CUDA_VISIBLE_DEVICES";
    tap t = {0};
    ws_err err = {0};
    ws_dev_ids first, two, all;
    tap_ok(&t, !ws_dev_ids_parse(&first, NULL, &err) && first.n == 1 && first.id[0] == 0 && !first.all,
           "no list is the first device");
    tap_ok(&t, !ws_dev_ids_parse(&two, "2,0", &err) && two.n == 2 && two.id[0] == 2 && two.id[1] == 0,
           "numbers keep their order");
    tap_ok(&t, !ws_dev_ids_parse(&all, "all", &err) && all.all, "all");
    tap_ok(&t,
           fails("", "expected numbers") && fails("x", "\"x\"") && fails("1,", "expected") && fails("-1", "expected") &&
               fails("1;2", "expected") && fails(" 1", "expected") && fails("99999999999999999999", "expected"),
           "what is no list of numbers");
    tap_ok(&t,
           fails("3,1,3", "device 3 is named twice") && fails("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16", "at most 16"),
           "twice; too many");

    const char *why;
    setenv(variable, "1,3", 1);
    ws_dev_narrow("2,0");
    tap_ok(&t, !ws_dev_is_narrowed(&two) && strcmp(getenv(variable), "1,3") == 0, "what %s says stays", variable);
    unsetenv(variable);
    ws_dev_narrow("all");
    ws_dev_narrow("2,x");
    (void)ws_dev_usable("2,0", &why); /* which any thread may ask */
    tap_ok(&t, !ws_dev_is_narrowed(&two) && !getenv(variable),
           "all, what is no list, and asking for devices leave the environment alone");
    ws_dev_narrow("2,0");
    tap_ok(&t, ws_dev_is_narrowed(&two) && getenv(variable) && strcmp(getenv(variable), "2,0") == 0, "two of them");
    ws_dev_narrow("1");
    tap_ok(&t, ws_dev_is_narrowed(&two) && !ws_dev_is_narrowed(&all) && strcmp(getenv(variable), "2,0") == 0,
           "once is enough");
    ws_dev_widen();
    tap_ok(&t, !ws_dev_is_narrowed(&two) && strcmp(getenv(variable), "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15") == 0,
           "all devices after all");
    setenv(variable, "3", 1);
    ws_dev_widen();
    ws_dev_narrow("2,0");
    tap_ok(&t, !ws_dev_is_narrowed(&two) && strcmp(getenv(variable), "3") == 0, "not where %s is another's", variable);
    static const char loading[] = "CUDA_MODULE_LOADING";
    setenv(loading, "LAZY", 1);
    ws_dev_load_at_start();
    tap_ok(&t, strcmp(getenv(loading), "LAZY") == 0, "what %s says stays", loading);
    unsetenv(loading);
    ws_dev_load_at_start();
    tap_ok(&t, getenv(loading) && strcmp(getenv(loading), "EAGER") == 0, "all kernels are loaded as the driver starts");
    return tap_end(&t);
}
